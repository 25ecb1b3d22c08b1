"""The optimal throughput of a fabric, exactly: networks, cuts, and how many trees it takes."""
