"""Plain technical text: logs of the kinds servers write, with no person in them, from a seeded generator.

Request ids, trace ids, counters, byte counts, microsecond stamps, hex dumps, metrics, tables: digit-heavy on purpose.
Addresses of machines occur, so only phone, card and identity hits count as false here.
"""

import random


class Writer:
    """Writes one log line after another on a clock of its own."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)
        self.clock = 1_700_000_000.0

    def line(self) -> str:
        self.clock += self.rng.random() * 3
        return self.rng.choice(KINDS)(self)

    def hexs(self, size: int) -> str:
        return "".join(self.rng.choice("0123456789abcdef") for _ in range(size))

    def num(self, size: int, most: int | None = None) -> str:
        length = size if most is None else self.rng.randint(size, most)
        return "".join(self.rng.choice("0123456789") for _ in range(length))

    def hms(self) -> str:
        second = int(self.clock) % 86400
        return f"{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}"

    def day(self) -> str:
        return f"2023-11-{1 + int(self.clock // 86400) % 28:02}"

    def access(self) -> str:
        host = f"10.{self.rng.randint(0, 255)}.{self.rng.randint(0, 255)}.{self.rng.randint(1, 254)}"
        request = f"GET /api/v2/items/{self.num(8)}?page={self.rng.randint(1, 900)} HTTP/1.1"
        status = self.rng.choice([200, 304, 404, 500])
        return f'{host} - - [20/Nov/2023:{self.hms()} +0000] "{request}" {status} {self.num(3, 6)} "-" "curl/7.88.1"'

    def worker(self) -> str:
        head = f"{self.day()} {self.hms()},{self.num(3)} INFO [worker-{self.rng.randint(0, 64)}]"
        return f"{head} request_id={self.hexs(32)} took {self.rng.randint(1, 99999)} ms rows={self.num(1, 7)}"

    def trace(self) -> str:
        head = f"{self.day()}T{self.hms()}.{self.num(6)}Z level=warn ts={int(self.clock)} trace={self.hexs(16)}"
        return f"{head} span={self.hexs(8)} offset={self.num(12)} lag={self.num(2, 9)}"

    def kernel(self) -> str:
        return f"[{self.clock:.6f}] kernel: eth0: rx_bytes {self.num(10)} tx_bytes {self.num(11)} dropped {self.num(3)}"

    def event(self) -> str:
        body = (
            f'"id":"{self.num(18)}","order":{self.num(10)},"amount":{self.num(4)}.{self.num(2)},"sku":"{self.num(12)}"'
        )
        return f'{{"ts":{int(self.clock * 1000)},{body}}}'

    def hexdump(self) -> str:
        return f"{self.hexs(8)}: {' '.join(self.hexs(4) for _ in range(8))}  ................"

    def table(self) -> str:
        return f"{self.num(8)}: {' '.join(self.num(4) for _ in range(8))}"

    def metric(self) -> str:
        return f'http_requests_total{{code="200",method="get"}} {self.num(5, 12)} {int(self.clock * 1000)}'

    def process(self) -> str:
        head = f"pid {self.num(5)} uid {self.num(4)} gid {self.num(4)} rss {self.num(9)}"
        return f"{head} vsz {self.num(10)} minflt {self.num(6)} majflt {self.num(2)}"

    def columns(self) -> str:
        return " ".join(self.num(size) for size in (3, 3, 4, 3, 2, 4, 5, 3))

    def commit(self) -> str:
        return f"commit {self.hexs(40)} parent {self.hexs(40)} date {int(self.clock)} +0000"

    def ids(self) -> str:
        uuid = f"{self.hexs(8)}-{self.hexs(4)}-4{self.hexs(3)}-a{self.hexs(3)}-{self.hexs(12)}"
        return f"uuid={uuid} seq={self.num(16)} epoch_us={int(self.clock * 1e6)}"

    def download(self) -> str:
        version = f"{self.rng.randint(0, 30)}.{self.rng.randint(0, 30)}.{self.rng.randint(0, 9999)}"
        return f"Downloading package-{version}-py3-none-any.whl ({self.num(4)}.{self.num(1)} kB) sha256:{self.hexs(64)}"

    def insert(self) -> str:
        row = f"({self.num(6)}, {self.num(13)}, {self.num(4)}.{self.num(3)}, {self.num(7)})"
        other = f"({self.num(6)}, {self.num(13)}, -{self.num(2)}.{self.num(4)}, {self.num(7)})"
        return f"INSERT INTO metrics VALUES {row}, {other}"

    def snowflake(self) -> str:
        return f"snowflake {self.num(19)} shard {self.rng.randint(0, 1024)} node {self.num(16)} slot {self.num(5)}"

    def pause(self) -> str:
        heap = f"{self.num(9)}->{self.num(9)}({self.num(10)})"
        return f"gc pause {self.num(2)}.{self.num(3)}ms heap {heap} at {self.day()} {self.hms()}.{self.num(3)}"

    def stack(self) -> str:
        module = f"libc-{self.rng.randint(1, 3)}.{self.num(2)}.so"
        return f"call stack 0x{self.hexs(16)} at offset +{self.num(4)} in module {module}"

    def build(self) -> str:
        head = f"{self.day()} {self.hms()} build #{self.num(5)} of job {self.num(3)}-{self.num(3)} finished"
        version = f"v{self.rng.randint(0, 9)}.{self.num(2)}.{self.num(3)}.{self.num(4)}"
        return f"{head}: {self.num(3)} tests, {self.num(2)} skipped, {self.num(4)} assertions, {version}"

    def parcel(self) -> str:
        size = f"{self.num(2)}-{self.num(3)}-{self.num(2)}"
        return f"tracking=1Z{self.num(16)} parcel {self.num(12)} weight {self.num(2)}.{self.num(2)} dims {size}"

    def telemetry(self) -> str:
        """Words that are cues elsewhere, as names of counters."""
        head = f"tel_metrics phone_home=disabled retries={self.num(2)} cell=a{self.num(2)}"
        return f"{head} mobile_clients={self.num(5)} call_id={self.num(10)}"


KINDS = [
    Writer.access,
    Writer.worker,
    Writer.trace,
    Writer.kernel,
    Writer.event,
    Writer.hexdump,
    Writer.table,
    Writer.metric,
    Writer.process,
    Writer.columns,
    Writer.commit,
    Writer.ids,
    Writer.download,
    Writer.insert,
    Writer.snowflake,
    Writer.pause,
    Writer.stack,
    Writer.build,
    Writer.parcel,
    Writer.telemetry,
]


def logs(size: int, seed: int = 1) -> str:
    """Return about `size` characters of log lines."""
    writer = Writer(seed)
    lines, total = [], 0
    while total < size:
        lines.append(writer.line())
        total += len(lines[-1]) + 1
    return "\n".join(lines)
