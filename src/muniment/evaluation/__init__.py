"""Measures the memory through its own public calls, on data sets in the open formats.

Belongs here: suites by kind of data set, baselines, metrics, reports. Does not belong here: anything the product needs.
"""
