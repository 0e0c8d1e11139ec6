"""Makes the tables of unskew/rows@1: spark-submit spark.py LOG QUERIES OUT

LOG has the folders interactions and exposures, as Parquet; QUERIES what `unskew sql` printed:
rows.sql, popularity.sql and lists.sql. What stands in OUT is replaced.
"""

import sys
from pathlib import Path

from pyspark.sql import SparkSession

log, queries, out = sys.argv[1:]
spark = SparkSession.builder.appName("unskew rows").getOrCreate()
for name in ("interactions", "exposures"):
    spark.read.parquet(f"{log}/{name}").createOrReplaceTempView(name)
for kind in ("rows", "popularity", "lists"):
    table = spark.sql(Path(queries, f"{kind}.sql").read_text())
    table.write.mode("overwrite").parquet(f"{out}/{kind}")
spark.stop()
