"""What is wired by hand or by switch: hosts, ports, panels, circuits, and their files."""
