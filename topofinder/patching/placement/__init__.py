"""Which host plays which node: the quadratic assignment problem of few moves."""
