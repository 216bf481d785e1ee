"""Write `schema.json` of the PostgreSQL store anew, after a migration was added. Run it as a script."""

import json
from pathlib import Path

import psycopg

import services
from mace.storage.postgres import inspecting


def main() -> None:
    folder = services.begin()
    try:
        databases = services.Databases(services.postgres_url())
        with psycopg.connect(databases.new()) as connection:
            held = inspecting.describe(connection)
        databases.close()
    finally:
        services.end(folder)
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in held)
    Path(inspecting.__file__).with_name("schema.json").write_text(f"[\n{lines}\n]\n", "utf-8")


if __name__ == "__main__":
    main()
