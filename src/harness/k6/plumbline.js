// Load test of Plumbline against "plumbline lab". See ../README.md.
import { check, sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { Counter, Rate, Trend } from 'k6/metrics';

const SERVER = __ENV.PLUMBLINE_SERVER || 'http://127.0.0.1:8080';
const LAB = Number(__ENV.LAB_PORT_BASE || 20000);
const WORKLOAD = __ENV.WORKLOAD || 'mixed';
const RATE = Number(__ENV.RATE || 50);
const DURATION = Number(__ENV.DURATION || 30);
const RUN = Date.now();
const HEADERS = { 'X-Api-Key': __ENV.PLUMBLINE_KEY || '', 'Content-Type': 'application/json' };
const LINES = 20;
const ATTEMPTS = 3;

const TARGETS = [
  ['http-status', `http://127.0.0.1:${LAB}/ok`, 'pass'],
  ['http-status', `http://127.0.0.1:${LAB}/status/404`, 'fail'],
  ['http-headers', `http://127.0.0.1:${LAB}/headers/framing`, 'warn'],
  ['security-headers', `https://127.0.0.1:${LAB + 1}/headers/perfect`, 'pass'],
  ['tls-rpt', 'policies.lab.test', 'pass'],
];

const unexpected = new Counter('unexpected_responses');
const rejected = new Rate('rejected_responses');
const jobDuration = new Trend('job_duration', true);

export const options = {
  scenarios: {
    [WORKLOAD]: {
      executor: 'constant-arrival-rate',
      exec: WORKLOAD,
      rate: RATE,
      duration: `${DURATION}s`,
      preAllocatedVUs: Math.max(10, RATE),
      maxVUs: Math.max(100, 4 * RATE),
    },
  },
  thresholds: {
    unexpected_responses: ['count==0'],
    rejected_responses: ['rate<0.01'],
    dropped_iterations: ['count==0'],
    'http_req_duration{name:cached}': [`p(99)<${__ENV.MAX_P99_MS || 100}`],
    'http_req_duration{name:fresh}': [`p(99)<${__ENV.MAX_P99_MS || 1000}`],
    job_duration: ['p(99)<30000'],
  },
};

/** Sends a request. After a 503, it is repeated when Retry-After has passed. Returns null after too many of them. */
function send(name, method, path, body, headers = {}) {
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    const response = http.request(method, SERVER + path, body, {
      headers: Object.assign({}, HEADERS, headers),
      tags: { name },
    });
    rejected.add(response.status === 503);
    if (response.status !== 503) {
      return response;
    }
    sleep(Number(response.headers['Retry-After'] || 1));
  }
  return null;
}

/** Records whether a response meets all conditions. Each one is a function of the response and its JSON. */
function expectAll(response, conditions) {
  if (response === null) {
    return null;
  }
  let json = null;
  try {
    json = response.json();
  } catch (invalid) {
    // the conditions fail
  }
  const bound = {};
  for (const [name, condition] of Object.entries(conditions)) {
    bound[name] = () => json !== null && condition(response, json);
  }
  if (check(response, bound)) {
    return json;
  }
  unexpected.add(1);
  console.error(`unexpected response: ${response.status} ${String(response.body).slice(0, 300)}`);
  return null;
}

function instant(name, module, target, verdict, isCached) {
  const response = send(name, 'GET', `/api/v1/instant/${module}/${encodeURIComponent(target)}`, null);
  expectAll(response, {
    [`${name}: status 200`]: (r) => r.status === 200,
    [`${name}: verdict`]: (r, json) => json.module === module && json.verdict === verdict,
    [`${name}: cached`]: (r, json) => isCached === undefined || json.cached === isCached,
  });
}

export function cached() {
  instant('cached', ...TARGETS[exec.scenario.iterationInTest % TARGETS.length]);
}

export function fresh() {
  const unique = `${RUN}-${exec.scenario.iterationInTest}`;
  instant('fresh', 'http-status', `http://127.0.0.1:${LAB}/ok?n=${unique}`, 'pass', false);
}

export function jobs() {
  const started = Date.now();
  const unique = `${RUN}-${exec.scenario.iterationInTest}`;
  const items = [];
  for (let line = 0; line < LINES; line++) {
    items.push(`http://127.0.0.1:${LAB}${line % 4 === 3 ? '/status/404' : '/ok'}?job=${unique}&line=${line}`);
  }
  const body = JSON.stringify({ module: 'http-status', items });
  const created = expectAll(send('create', 'POST', '/api/v1/jobs', body, { 'Idempotency-Key': unique }), {
    'create: status 202': (r) => r.status === 202,
    'create: lines': (r, json) => json.counts.total === LINES,
  });
  if (created === null) {
    return;
  }
  let job = { state: created.state, since: '' };
  const verdicts = {};
  let received = 0;
  while (job.state === 'queued' || job.state === 'running') {
    // each response has the lines that have finished since the previous one
    const path = `/api/v1/jobs/${created.token}?since=${job.since}&fields=status`;
    const response = send('read', 'GET', path, null, { Prefer: 'wait=20' });
    job = expectAll(response, {
      'read: status 200': (r) => r.status === 200,
      'read: each line is done': (r, json) => json.results.every((line) => line.state === 'done'),
    });
    if (job === null) {
      return;
    }
    received += job.results.length;
    job.results.forEach((line) => (verdicts[line.index] = line.verdict));
    if (!response.headers['Preference-Applied'] && response.headers['Retry-After']) {
      sleep(Number(response.headers['Retry-After'])); // too many requests of this key wait already
    }
  }
  const right = items.every((item, line) => verdicts[line] === (line % 4 === 3 ? 'fail' : 'pass'));
  if (!check(job, { 'job: each line once, with its verdict': () => received === LINES && right })) {
    unexpected.add(1);
  }
  jobDuration.add(Date.now() - started);
}

export function mixed() {
  const percent = exec.scenario.iterationInTest % 100;
  if (percent === 0) {
    jobs();
  } else if (percent < 10) {
    fresh();
  } else {
    cached();
  }
}
