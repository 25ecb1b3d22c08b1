"""Tables and figures of the paper, worked out anew and put beside what it prints."""
