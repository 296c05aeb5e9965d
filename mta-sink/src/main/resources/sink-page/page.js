"use strict";
// Texts of messages reach the page as text nodes only, never as markup.
const api = "/api/v1/";
const byId = id => document.getElementById(id);
let selected = 0;
let revision = 0;
let questions = 0;

function element(name, text, ...children) {
  const made = document.createElement(name);
  if (text !== undefined && text !== "") made.append(String(text));
  made.append(...children);
  return made;
}

async function ask(path, options) {
  const reply = await fetch(api + path, options);
  const body = await reply.json();
  if (!reply.ok) throw new Error(body.error || reply.statusText);
  return body;
}

function link(text, path) {
  const made = element("a", text);
  made.href = api + path;
  return made;
}

function rows(pairs) {
  const table = element("table");
  for (const [name, value] of pairs) {
    table.append(element("tr", "", element("th", name),
      value instanceof Node ? element("td", "", value) : element("td", value)));
  }
  return table;
}

// Each key of a search asks again, and the answers may arrive in another order: the latest question counts.
async function list() {
  const question = ++questions;
  const found = await ask("messages?limit=200&query=" + encodeURIComponent(byId("query").value));
  if (question !== questions) return;
  revision = found.revision;
  byId("count").textContent = found.total + (found.total === 1 ? " message" : " messages");
  byId("list").replaceChildren(...found.messages.map(message => {
    const button = element("button", "", element("b", message.subject || "(no subject)"),
      element("small", (message.from || "<>") + " → " + message.to.join(", ")),
      element("small", new Date(message.at).toLocaleString() + ", " + message.size + " octets"));
    button.type = "button";
    button.setAttribute("aria-current", String(message.id === selected));
    button.addEventListener("click", () => show(message.id));
    return button;
  }));
}

async function show(id) {
  selected = id;
  await list();
  const message = await ask("messages/" + id);
  const parts = [element("h2", message.subject || "(no subject)"),
    rows([["From", message.from || "<>"], ["To", message.to.join(", ")], ["Client", message.client + " (" + message.helo + ")"],
      ["MAIL", message.arguments], ["At", message.at],
      ["Source", link("download", "messages/" + id + "/raw")]])];
  if (message.problem) {
    const problem = element("p", message.problem);
    problem.className = "problem";
    parts.push(problem);
  }
  if (message.text) parts.push(element("h3", "Text"), element("pre", message.text));
  if (message.html) {
    const frame = element("iframe");
    frame.setAttribute("sandbox", "");
    frame.title = "HTML of the message";
    frame.src = api + "messages/" + id + "/html";
    parts.push(element("h3", "HTML"), frame);
  }
  if (message.attachments.length > 0) {
    parts.push(element("h3", "Attachments"), rows(message.attachments.map(each => [each.type + ", " + each.size,
      link(each.name, "messages/" + id + "/attachments/" + each.number)])));
  }
  parts.push(element("h3", "Headers"), rows(message.headers.map(each => [each.name, each.value])));
  parts.push(element("h3", "Session " + message.session), await transcript(message.session), remover(id));
  byId("view").replaceChildren(...parts);
}

async function transcript(session) {
  try {
    const view = await ask("sessions/" + session);
    return element("pre", view.lines.map(line => String(line.afterMillis).padStart(7) + " ms  " + line.from + "  "
      + line.text).join("\n"));
  } catch (gone) {
    return element("p", gone.message);
  }
}

function remover(id) {
  const button = element("button", "Delete this message");
  button.type = "button";
  button.addEventListener("click", async () => {
    await ask("messages/" + id, { method: "DELETE" });
    byId("view").replaceChildren(element("p", "No message is selected."));
  });
  return element("p", "", button);
}

async function stats() {
  const now = await ask("stats");
  const script = await (await fetch(api + "script")).text();
  const text = element("textarea");
  text.value = script;
  text.setAttribute("aria-label", "Script");
  const answer = element("p", "");
  answer.setAttribute("role", "status");
  const apply = element("button", "Follow this script");
  apply.type = "button";
  apply.addEventListener("click", async () => {
    try {
      const done = await ask("script", { method: "POST", body: text.value });
      answer.textContent = "The sink follows: " + done.script;
    } catch (mistake) {
      answer.textContent = mistake.message;
    }
  });
  byId("view").replaceChildren(element("h2", now.script),
    rows([["Connections", now.connections], ["Open", now.open], ["Transactions", now.transactions], ["Kept", now.kept],
      ["Octets kept", now.keptBytes]]),
    element("h3", "Rules"), rows(Object.entries(now.rules)),
    element("h3", "Phases"), rows(Object.entries(now.phases)),
    element("h3", "Clients"), rows(Object.entries(now.clients).map(([name, each]) =>
      [name, each.connections + " connections, " + each.messages + " messages"])),
    element("h3", "Script"), text, apply, answer);
}

// A request waits until something changes, so a new message appears at once.
async function follow() {
  for (;;) {
    try {
      const now = (await ask("changes?timeout=25s&since=" + revision)).revision;
      if (now !== revision) await list();
    } catch (unreachable) {
      byId("count").textContent = "The sink does not answer.";
      await new Promise(resolve => setTimeout(resolve, 2000));
    }
  }
}

byId("query").addEventListener("input", () => list());
byId("stats-button").addEventListener("click", () => stats());
byId("delete-all").addEventListener("click", async () => {
  await ask("messages", { method: "DELETE" });
  byId("view").replaceChildren(element("p", "No message is selected."));
});
list().then(follow);
