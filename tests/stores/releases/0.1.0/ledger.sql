BEGIN TRANSACTION;
CREATE TABLE allowances (name TEXT PRIMARY KEY, amount REAL NOT NULL) WITHOUT ROWID;
CREATE TABLE holds (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            until REAL NOT NULL,
            amount INTEGER NOT NULL
        );
CREATE TABLE parts (
            hold INTEGER NOT NULL,
            scope TEXT NOT NULL,
            period TEXT NOT NULL,
            PRIMARY KEY (hold, scope, period)
        ) WITHOUT ROWID
        ;
CREATE TABLE purses (
            scope TEXT NOT NULL,
            period TEXT NOT NULL,
            spent INTEGER NOT NULL,
            held INTEGER NOT NULL,
            calls INTEGER NOT NULL,
            PRIMARY KEY (scope, period)
        ) WITHOUT ROWID
        ;
INSERT INTO "purses" VALUES('tavily','2026-11',5,0,1);
CREATE TABLE targets (
            name TEXT PRIMARY KEY,
            state BLOB NOT NULL,
            open_until REAL NOT NULL,
            probe_until REAL NOT NULL
        ) WITHOUT ROWID
        ;
CREATE INDEX holds_by_end ON holds (until);
DELETE FROM "sqlite_sequence";
COMMIT;
PRAGMA application_id = 1465076807;
PRAGMA user_version = 1;
