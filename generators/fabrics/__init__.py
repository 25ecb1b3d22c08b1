"""Fabrics that a direct-connect one is compared with: GPU boxes, rails, fat trees, dragonflies.

They are named like recipes, `DGXA100(16)`, but no recipe: no search lists them and no expansion
takes them.
"""
