"""The optimal throughput of a network, exactly: networks, cuts, and how many trees it takes."""
