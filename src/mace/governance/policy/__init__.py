"""The policy: who may do what, written in Cedar (`mace.cedar`), and the engine that reads it.

The texts are package data; wiring reads them and passes them in.
"""
