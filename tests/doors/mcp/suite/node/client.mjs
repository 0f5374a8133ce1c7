// The TypeScript SDK against a command: prints what it saw, as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [command, ...args] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1" });
await client.connect(new StdioClientTransport({ command, args }));
const { tools } = await client.listTools();
const found = await client.callTool({ name: "web_search", arguments: { query: "tides" } });
const failed = await client.callTool({ name: "web_search", arguments: { query: "fail" } });
const steps = [];
const urls = [1, 2, 3].map((number) => `https://a.example/paced/${number}`);
await client.callTool({ name: "web_extract", arguments: { urls } }, undefined, {
  onprogress: (step) => steps.push(step.progress),
});
console.log(
  JSON.stringify({
    tools: tools.map((tool) => tool.name),
    url: found.structuredContent.data.web[0].url,
    failure: failed.structuredContent.failure.kind,
    steps,
  }),
);
await client.close();
