// The key that every command and stream must show. It is kept for the page's origin, to which the port belongs; a cookie would go
// to every server on this machine. All tabs share it, and each request reads it anew: another tab may have got that of a new server.

const NAME = "tesuji-key";

export function authorization(secret = localStorage.getItem(NAME)) {
  return secret ? { Authorization: `Bearer ${secret}` } : {};
}

/** Exchanges a token for the key; without one, asks whether the key is still good. Null, or the sentence that refuses it. */
export async function exchange(token) {
  const response = await fetch("/key", { method: "POST", headers: { "Content-Type": "application/json", ...authorization(token) } });
  if (!response.ok) return response.text();
  localStorage.setItem(NAME, (await response.json()).key);
  return null;
}
