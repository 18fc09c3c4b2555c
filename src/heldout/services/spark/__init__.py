"""The engine for what one machine cannot hold: the same matching steps, run on Apache Spark.

Spark moves rows, retries lost tasks and joins integers. Every step that reads a text is a function of
`heldout.matching` or of our own readers, called on Arrow record batches: no text passes through SQL.
"""
