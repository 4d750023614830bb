// After the first visit the page works without a network.
export function startOffline(): void {
  if (!("serviceWorker" in navigator)) return;
  const idle = window.requestIdleCallback ?? ((act: () => void) => setTimeout(act, 500));
  idle(() => {
    // Refused where storage is blocked: then the page needs the network, as any page does.
    navigator.serviceWorker.register("sw.js").catch(() => undefined);
  });
}
