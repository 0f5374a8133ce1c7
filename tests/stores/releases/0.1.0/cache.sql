BEGIN TRANSACTION;
CREATE TABLE answers (
            key BLOB NOT NULL UNIQUE,
            backend TEXT NOT NULL,
            operation TEXT NOT NULL,
            payload BLOB NOT NULL,
            stored_at REAL NOT NULL,
            expires_at REAL NOT NULL,
            used_at REAL NOT NULL,
            size INTEGER NOT NULL,
            checksum BLOB NOT NULL
        );
INSERT INTO "answers" VALUES(X'6B6579','wiki','search',X'7B7D',1750000000.0,3500000000.0,1750000000.0,202,X'1F8E4444F0429DB89F94B99DF1D82648');
CREATE INDEX answers_by_use ON answers (used_at, size);
COMMIT;
PRAGMA application_id = 1465074504;
PRAGMA user_version = 1;
