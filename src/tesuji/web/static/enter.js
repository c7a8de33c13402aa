// The address of the terminal. Its fragment is the token, which browsers keep to themselves; it works once.

import { byId } from "./dom.js";
import { exchange } from "./key.js";

const refusal = await exchange(location.hash.slice(1));
if (refusal && (await exchange())) byId("banner").textContent = refusal;
else location.replace("/"); // the address with the token is left behind
