// Unmodified npm clients, each in every scene. usage: node node_clients.mjs BASE_URL KEY
import { tavily } from "@tavily/core";
import Exa from "exa-js";
import { ExaSearchResults } from "@langchain/exa";
import { TavilySearch } from "@langchain/tavily";
import Firecrawl from "@mendable/firecrawl-js";

const [base, key] = process.argv.slice(2);
const scenes = ["tides", "nothing", "limited", "rubbish", "slow", "refused"];
const page = "https://example.com/a";
const urls = (rows) => rows.map((row) => row.url);
const Client = Firecrawl.default ?? Firecrawl;
const clients = {
  "@tavily/core": async (own, query) =>
    urls((await tavily({ apiKey: own, apiBaseURL: `${base}/tavily` }).search(query, { maxResults: 2 })).results),
  "exa-js": async (own, query) => urls((await new Exa(own, `${base}/exa`).search(query, { numResults: 2, contents: false })).results),
  "@langchain/tavily": async (own, query) => {
    const tool = new TavilySearch({ tavilyApiKey: own, apiBaseUrl: `${base}/tavily`, maxResults: 2 });
    const reply = await tool.invoke({ query });
    if (reply.error) throw new Error(reply.error);
    return urls(reply.results);
  },
  "@langchain/exa": async (own, query) => {
    const tool = new ExaSearchResults({ client: new Exa(own, `${base}/exa`), searchArgs: { numResults: 2, contents: false } });
    const reply = await tool.invoke(query);
    return urls(JSON.parse(reply).results ?? JSON.parse(reply));
  },
  "@mendable/firecrawl-js": async (own, query) => {
    const found = await new Client({ apiKey: own, apiUrl: base }).search(query, { limit: 2 });
    return urls(found.web ?? found.data ?? []);
  },
  "@mendable/firecrawl-js scrape": async (own, query) => {
    const client = new Client({ apiKey: own, apiUrl: base });
    const read = client.scrape ? await client.scrape(`${page}?${query}`, { formats: ["markdown"] }) : await client.scrapeUrl(`${page}?${query}`);
    if (read.success === false) throw new Error(read.error);
    return [read.markdown];
  },
};
for (const [client, call] of Object.entries(clients))
  for (const scene of scenes) {
    let made;
    try {
      made = { value: await call(scene === "refused" ? "a-wrong-key-of-twenty" : key, scene) };
    } catch (error) {
      made = { error: error.constructor.name, words: String(error.message).slice(0, 200), status: error.statusCode ?? error.status ?? null };
    }
    console.log(JSON.stringify({ client, scene, ...made }));
  }
process.exit(0);
