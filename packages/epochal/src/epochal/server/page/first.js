// What a page shows before the rest of its scripts is there: the hits of the question in its address, or what the index
// holds. The server sends both within the page, so that a slow network is waited for once.

import { byId, put } from "./dom.js";
import { account, countWords } from "./outcome.js";
import { resultList } from "./results.js";
import { heldWords, welcome } from "./start.js";

const { info, coverage, search } = JSON.parse(byId("given").textContent || "{}");
const look = new URLSearchParams(location.search).get("look") ?? "list";
const nothing = () => {};

if (info) byId("held").textContent = heldWords(info);
if (search && info.documents && look === "list") {
  byId("q").value = search.body.question;
  byId("count").textContent = countWords(search.answer);
  byId("results-tools").hidden = false;
  byId("ask").hidden = !info.answers;
  put(byId("account"), account(search.answer));
  const asked = { k: search.body.k, where: [], during: search.body.during ?? "" };
  const hooks = { cards: { chosen: nothing, copy: nothing, chain: nothing }, narrow: nothing, more: nothing };
  put(byId("results-body"), ...resultList(search.answer, info, asked, hooks));
} else if (!search && info?.documents && coverage) put(byId("results-body"), welcome(info, coverage.bins));
