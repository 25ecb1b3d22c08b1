"""What several use cases share: subjects, answers, places, workloads, stored rows."""
