-- How long a consumer waits after its producer has ended, by their labels.

INCLUDE PERFETTO MODULE pypto.dependency;

-- One row per pair of labels with a dependency between their tasks.
CREATE PERFETTO TABLE my_handover(
  -- Label of the producer.
  producer STRING,
  -- Label of the consumer.
  consumer STRING,
  -- Dependencies.
  edge_count LONG,
  -- Mean of the consumer's start minus the producer's end, ns.
  mean_delay DOUBLE
) AS
SELECT
  p.name AS producer,
  c.name AS consumer,
  count() AS edge_count,
  avg(c.ts - p.end_ts) AS mean_delay
FROM pypto_dependency AS d
JOIN pypto_task AS p
  ON p.id = d.src
JOIN pypto_task AS c
  ON c.id = d.dst
GROUP BY
  producer,
  consumer
ORDER BY
  mean_delay DESC;
