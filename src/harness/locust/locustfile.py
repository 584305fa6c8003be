"""Load test of Plumbline against "plumbline lab". See ../README.md."""

import itertools
import os
import time
from urllib.parse import quote

import gevent
from locust import FastHttpUser, LoadTestShape, constant_throughput, events, task

SERVER = os.environ.get("PLUMBLINE_SERVER", "http://127.0.0.1:8080")
LAB = int(os.environ.get("LAB_PORT_BASE", "20000"))
WORKLOAD = os.environ.get("WORKLOAD", "mixed")
RATE = int(os.environ.get("RATE", "50"))
DURATION = int(os.environ.get("DURATION", "30"))
KEY = {"X-Api-Key": os.environ.get("PLUMBLINE_KEY", "")}
LINES = 20
ATTEMPTS = 3
MAX_REJECTED = 0.01
MAX_P99_MS = {
    "cached": int(os.environ.get("MAX_P99_MS", "100")),
    "fresh": int(os.environ.get("MAX_P99_MS", "1000")),
    "job": 30_000,
}

TARGETS = [
    ("http-status", f"http://127.0.0.1:{LAB}/ok", "pass"),
    ("http-status", f"http://127.0.0.1:{LAB}/status/404", "fail"),
    ("http-headers", f"http://127.0.0.1:{LAB}/headers/framing", "warn"),
    ("security-headers", f"https://127.0.0.1:{LAB + 1}/headers/perfect", "pass"),
    ("tls-rpt", "policies.lab.test", "pass"),
]

run = time.time_ns()
numbers = itertools.count()


class Unexpected(Exception):
    """A response that was recorded as a failure, or too many 503."""


class Caller(FastHttpUser):
    """Starts one iteration per second, so the rate is the number of users. An iteration that takes longer delays the next one."""

    host = SERVER
    wait_time = constant_throughput(1)

    @task
    def iterate(self):
        number = next(numbers)
        workload = WORKLOAD
        if workload == "mixed":
            workload = "jobs" if number % 100 == 0 else "fresh" if number % 100 < 10 else "cached"
        try:
            getattr(self, workload)(number)
        except Unexpected:
            pass  # recorded

    def cached(self, number):
        module, target, verdict = TARGETS[number % len(TARGETS)]
        self.instant("cached", module, target, lambda r: r["verdict"] == verdict)

    def fresh(self, number):
        target = f"http://127.0.0.1:{LAB}/ok?n={run}-{number}"
        self.instant("fresh", "http-status", target, lambda r: r["verdict"] == "pass" and not r["cached"])

    def instant(self, name, module, target, expected):
        path = f"/api/v1/instant/{module}/{quote(target, safe='')}"
        self.send(name, "GET", path, 200, lambda result: result["module"] == module and expected(result))

    def jobs(self, number):
        started = time.perf_counter()
        paths = ["/status/404" if line % 4 == 3 else "/ok" for line in range(LINES)]
        items = [f"http://127.0.0.1:{LAB}{path}?job={run}-{number}&line={line}" for line, path in enumerate(paths)]
        job, _ = self.send(
            "create",
            "POST",
            "/api/v1/jobs",
            202,
            lambda created: created["counts"]["total"] == LINES,
            json={"module": "http-status", "items": items},
            headers={"Idempotency-Key": f"{run}-{number}"},
        )
        since, lines = "", []
        while job["state"] in ("queued", "running"):
            # each response has the lines that have finished since the previous one
            job, headers = self.send(
                "read",
                "GET",
                f"/api/v1/jobs/{job['token']}?since={since}&fields=status",
                200,
                lambda read: all(line["state"] == "done" for line in read["results"]),
                headers={"Prefer": "wait=20"},
            )
            since = job["since"]
            lines += job["results"]
            if "Preference-Applied" not in headers and "Retry-After" in headers:
                gevent.sleep(int(headers["Retry-After"]))  # too many requests of this key wait already
        verdicts = sorted((line["index"], line["verdict"]) for line in lines)
        expected = [(line, "fail" if line % 4 == 3 else "pass") for line in range(LINES)]
        self.environment.events.request.fire(
            request_type="JOB",
            name="job",
            response_time=(time.perf_counter() - started) * 1_000,
            response_length=0,
            exception=None if verdicts == expected else Unexpected(f"unexpected lines: {verdicts}"),
            context={},
        )

    def send(self, name, method, path, status, expected, headers=None, **arguments):
        """Returns the JSON and the headers. After a 503, repeats the request when Retry-After has passed."""
        for _ in range(ATTEMPTS):
            with self.client.request(
                method, path, name=name, headers={**KEY, **(headers or {})}, catch_response=True, **arguments
            ) as response:
                if response.status_code == 503:
                    response.request_meta["name"] = f"{name} rejected"
                    response.success()
                    wait = int(response.headers.get("Retry-After", 1))
                else:
                    try:
                        json = response.json()
                        if response.status_code == status and expected(json):
                            response.success()
                            return json, response.headers
                    except (ValueError, KeyError, TypeError):
                        pass
                    response.failure(f"unexpected response: {response.status_code} {(response.text or '')[:300]}")
                    raise Unexpected()
            gevent.sleep(wait)
        raise Unexpected()


class ConstantRate(LoadTestShape):
    """All users from the start, until the end of DURATION."""

    def tick(self):
        return (RATE, RATE) if self.get_run_time() < DURATION else None


@events.quitting.add_listener
def check_thresholds(environment, **_):
    """Sets the exit code. Unexpected responses are failures, for which Locust has the exit code 1."""
    stats = environment.stats
    sent = sum(entry.num_requests for entry in stats.entries.values() if entry.method != "JOB")
    rejected = sum(entry.num_requests for (name, _), entry in stats.entries.items() if name.endswith("rejected"))
    missed = ["no requests"] if sent == 0 else []
    if rejected > MAX_REJECTED * sent:
        missed.append(f"{rejected} of {sent} requests were rejected with 503")
    for (name, _), entry in stats.entries.items():
        p99 = entry.get_response_time_percentile(0.99) or 0
        if p99 > MAX_P99_MS.get(name, p99):
            missed.append(f"p99 of {name} is {p99:.0f} ms; the limit is {MAX_P99_MS[name]} ms")
    for threshold in missed:
        print(f"threshold missed: {threshold}")
    if missed:
        environment.process_exit_code = 1
