"""What is stored or found, turned into tables, plots and pages."""
