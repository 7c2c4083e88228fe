-- Where rsyslog-clickhouse.conf puts lines: ClickHouse itself takes the columns out of them.  Add those that you ask for.
CREATE TABLE IF NOT EXISTS probelight_lines
(
    `at` DateTime DEFAULT parseDateTimeBestEffortOrZero(visitParamExtractString(line, 'time')),
    `host` String,
    `tool` String DEFAULT visitParamExtractString(line, 'tool'),
    `type` String DEFAULT visitParamExtractString(line, 'type'),
    `pid` Int64 DEFAULT visitParamExtractInt(line, 'pid'),
    `comm` String DEFAULT visitParamExtractString(line, 'comm'),
    `line` String
) ENGINE = MergeTree() PARTITION BY toYYYYMMDD(`at`) ORDER BY (`tool`, `at`);
