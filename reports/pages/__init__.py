"""A report as a document of tables and plots, and what writes it: HTML, Markdown, CSV, pictures."""
