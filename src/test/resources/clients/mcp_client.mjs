// Uses the reference SDK of the Model Context Protocol. Arguments: base URL, API key, target, target without a server.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [baseUrl, key, target, closedPort] = process.argv.slice(2);

async function connect(headers) {
  const client = new Client({ name: "test", version: "1.0.0" });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${baseUrl}/mcp`), { requestInit: { headers } }));
  return client;
}

// validates the structured content of the result with the output schema of the tool
async function call(client, name, args) {
  const result = await client.callTool({ name, arguments: args });
  return result.isError ? `error ${result.content[0].text.split("\n")[0]}` : result.structuredContent;
}

const anonymous = await connect({});
const { tools } = await anonymous.listTools();
console.log("server", anonymous.getServerVersion().name, anonymous.transport.protocolVersion);
console.log("tools", tools.some((tool) => tool.name === "http-status"), tools.some((tool) => tool.name === "create_job"));
const check = await call(anonymous, "http-status", { target, expect: ["status == 200"] });
console.log("check", check.verdict, check.fields.status, check.policy.met_count);
const refused = await call(anonymous, "http-status", { target: closedPort });
console.log("refused", refused.verdict, refused.error.code);
console.log("invalid", await call(anonymous, "http-status", { target: "not a target" }));
console.log("without key", await call(anonymous, "create_job", { module: "http-status", items: [target] }));
const { resources } = await anonymous.listResources();
const module = await anonymous.readResource({ uri: resources.find((each) => each.name === "http-status").uri });
console.log("resource", JSON.parse(module.contents[0].text).module);

const client = await connect({ Authorization: `Bearer ${key}` });
console.log("job tools", (await client.listTools()).tools.filter((tool) => tool.name.includes("job")).length);
const { token } = await call(client, "create_job", { module: "http-status", items: [target, "not a target"] });
const job = await call(client, "get_job", { token, wait_seconds: 30 });
console.log("job", job.state, job.counts.total);
const list = await call(client, "list_jobs", { limit: 1 });
console.log("jobs", list.jobs.length, list.jobs[0].token === token, list.next_cursor);
const lines = await call(client, "get_job_results", { token, limit: 1 });
console.log("line", lines.results[0].verdict, lines.matched, lines.next_cursor !== null);
const summary = await call(client, "summarize_job", { token });
console.log("summary", summary.matched);
const changes = await call(client, "compare_jobs", { token, against: token });
console.log("changes", changes.counts.unchanged, changes.lines.length);
await anonymous.close();
await client.close();
