"""All-to-all throughput: maximum concurrent flow, as a certified interval (appendix A.5)."""
