"""A fabric after failures: links and nodes gone, links slower than they were."""
