"""An independent replay of schedules: it shares no code with whatever made them."""
