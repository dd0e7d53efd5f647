/**
 * The only script of the page. It asks before what cannot be undone, and keeps the live parts up to date: not while they
 * are out of sight, while something in them has the focus or is selected, or while somebody has switched it off.
 */
export const SCRIPT = `
'use strict';
(() => {
  const PAUSE = 2000;
  document.addEventListener('submit', (event) => {
    const question = event.target.dataset.confirm;
    if (question && !confirm(question)) event.preventDefault();
  });
  document.querySelector('.ways [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'center' });
  const parts = () => [...document.querySelectorAll('[data-live]')];
  if (parts().length === 0) return;
  const box = document.getElementById('keep-live');
  box.closest('label').hidden = false;
  box.checked = sessionStorage.getItem('live') !== 'no';
  box.addEventListener('change', () => sessionStorage.setItem('live', box.checked ? 'yes' : 'no'));
  const isUsed = (part) => {
    const selection = getSelection();
    const selected = selection && !selection.isCollapsed && part.contains(selection.anchorNode);
    const active = document.activeElement;
    return selected || (part.contains(active) && !active.classList.contains('scroll')) || part.querySelector('details[open]');
  };
  const put = (part, fresh) => {
    if (!fresh || fresh.innerHTML === part.innerHTML || isUsed(part)) return;
    const scrolled = [...part.querySelectorAll('.scroll')].map((one) => one.scrollLeft);
    const focused = part.contains(document.activeElement);
    part.replaceChildren(...fresh.childNodes);
    part.querySelectorAll('.scroll').forEach((one, index) => {
      one.scrollLeft = scrolled[index] || 0;
      if (focused && index === 0) one.focus({ preventScroll: true });
    });
  };
  const address = new URL(location.href);
  address.searchParams.delete('note');
  const look = async () => {
    if (!box.checked || document.hidden) return;
    const answer = await fetch(address, { cache: 'no-store', redirect: 'error' });
    if (!answer.ok) return;
    const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
    for (const part of parts()) put(part, page.getElementById(part.id));
  };
  const again = () => setTimeout(() => look().catch(() => {}).finally(again), PAUSE);
  again();
})();
`;
