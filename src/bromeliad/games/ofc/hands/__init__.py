"""Rows, boards, placements and canonical suits."""
