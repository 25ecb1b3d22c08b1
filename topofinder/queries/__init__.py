"""Questions about what is stored: filters, order, prices."""
