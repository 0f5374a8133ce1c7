BEGIN TRANSACTION;
CREATE TABLE documents (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL UNIQUE,
            location TEXT NOT NULL,
            source TEXT NOT NULL,
            title TEXT NOT NULL,
            published TEXT,
            digest BLOB NOT NULL,
            indexed_at REAL NOT NULL,
            passages INTEGER NOT NULL,
            characters INTEGER NOT NULL,
            language TEXT NOT NULL
        );
INSERT INTO "documents" VALUES(1,'https://heat.example/pumps','https://heat.example/pumps','https://heat.example/pumps','Heat pumps','2026-01-31',X'0EBD1AE27639831EAE950675053C326C',1.79500440649596476555e+09,1,65,'en');
CREATE TABLE languages (language TEXT PRIMARY KEY);
INSERT INTO "languages" VALUES('en');
CREATE TABLE passages (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (id),
        length INTEGER NOT NULL,
        headings TEXT NOT NULL,
        body TEXT NOT NULL
    );
INSERT INTO "passages" VALUES(2,1,16,'Heat pumps','# Heat pumps

A heat pump moves warmth from outside into a house.');
CREATE TABLE removed (number INTEGER PRIMARY KEY);
CREATE TABLE sources (location TEXT PRIMARY KEY, added_at REAL NOT NULL);
CREATE TABLE sums (document INTEGER PRIMARY KEY, sum INTEGER NOT NULL);
INSERT INTO "sums" VALUES(1,4280536331);
CREATE TABLE totals (
            documents INTEGER NOT NULL, passages INTEGER NOT NULL, terms INTEGER NOT NULL,
            numbers INTEGER NOT NULL, words TEXT NOT NULL
        );
INSERT INTO "totals" VALUES(1,1,16,2,'14-a26948126fa32d63');
CREATE TRIGGER sums_removed AFTER DELETE ON documents
    BEGIN DELETE FROM sums WHERE document = old.id; END;
COMMIT;
PRAGMA application_id = 1465076056;
PRAGMA user_version = 5;
