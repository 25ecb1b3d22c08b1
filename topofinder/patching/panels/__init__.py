"""Which panel carries which circuit, where there are several."""
