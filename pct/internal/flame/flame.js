// Zooms into and searches the flame graphs of a document. The document is complete
// without: what is here only hides, moves and marks frames, and makes the tools.
// State is in the fragment of the address: #view=down&zoom=12&search=^mem
(function () {
	'use strict';

	const SVG = 'http://www.w3.org/2000/svg', XHTML = 'http://www.w3.org/1999/xhtml';
	const leastWindow = 640; // below which the picture is scaled
	const leastWidth = 0.1;
	const textSpace = 4, leastCells = 3;

	function element(name, attributes, ...children) {
		const e = document.createElementNS(XHTML, name);
		for (const [key, value] of Object.entries(attributes)) {
			e.setAttribute(key, value);
		}
		e.append(...children);
		return e;
	}

	// cells is the width of a character in those of a monospaced font.
	function cells(c) {
		const r = c.codePointAt(0);
		return r >= 0x1100 && (r <= 0x115f || r >= 0x2e80 && r <= 0xa4cf || r >= 0xac00 && r <= 0xd7a3 ||
			r >= 0xf900 && r <= 0xfaff || r >= 0xfe30 && r <= 0xfe6f || r >= 0xff00 && r <= 0xff60 || r >= 0x1f300) ? 2 : 1;
	}

	// fit returns what of a label has place in a width.
	function fit(label, width) {
		if (width < leastCells) {
			return label.length <= width && cells(label) === 1 ? label : '';
		}
		let used = 0, cut = 0, i = 0;
		for (const c of label) {
			used += cells(c);
			i += c.length;
			if (used <= width - 1) {
				cut = i;
			}
			if (used > width) {
				return label.slice(0, cut) + '…';
			}
		}
		return label;
	}

	class Graph {
		constructor(svg) {
			this.svg = svg;
			this.area = svg.querySelector('.frames');
			const data = this.area.dataset;
			this.margin = +data.margin;
			this.gap = +data.gap;
			this.height = svg.viewBox.baseVal.height;
			this.flipped = data.inverted !== undefined;
			this.boxes = [];
			const open = [];
			for (const g of this.area.children) {
				const [depth, start, total] = g.dataset.v.split(',').map(Number);
				const title = g.querySelector('title').textContent.split('\n');
				const i = this.boxes.length;
				open.length = depth;
				this.boxes.push({
					g, depth, start, total, title, name: title[0], rect: g.querySelector('rect'), text: g.querySelector('text'),
					parent: depth > 0 ? open[depth - 1] : -1, last: i, shown: true, real: !g.classList.contains('r') && depth > 0,
				});
				for (const above of open) {
					this.boxes[above].last = i;
				}
				open.push(i);
				g.setAttribute('tabindex', i ? -1 : 0);
			}
			this.index = new Map(this.boxes.map((b, i) => [b.g, i]));
			this.zoomed = 0;
			this.current = 0;
		}

		// resize fits the graph to the width that it has.
		resize() {
			this.svg.setAttribute('width', '100%');
			const width = this.svg.getBoundingClientRect().width;
			this.width = Math.max(width, leastWindow);
			this.scale = this.width / width;
			this.svg.setAttribute('viewBox', `0 0 ${this.width} ${this.height}`);
			this.svg.setAttribute('preserveAspectRatio', 'xMinYMin meet');
			this.measure();
			this.place();
		}

		measure() {
			const probe = document.createElementNS(SVG, 'text');
			const g = document.createElementNS(SVG, 'g');
			g.setAttribute('class', 'f');
			probe.textContent = 'm'.repeat(100);
			g.append(probe);
			this.svg.append(g);
			this.cell = probe.getComputedTextLength() / 100 || 7.25;
			g.remove();
		}

		place() {
			const zoom = this.boxes[this.zoomed], whole = this.width - 2 * this.margin, scale = whole / zoom.total;
			const above = new Set();
			for (let i = zoom.parent; i >= 0; i = this.boxes[i].parent) {
				above.add(i);
			}
			this.boxes.forEach((b, i) => {
				let x = this.margin, width = whole;
				const faded = above.has(i);
				if (!faded) {
					x += (b.start - zoom.start) * scale;
					width = b.total * scale - this.gap / 2;
				}
				const shown = faded || i >= this.zoomed && i <= zoom.last && (width >= leastWidth || i === this.zoomed);
				if (shown !== b.shown) {
					b.g.setAttribute('display', shown ? 'inline' : 'none');
					b.shown = shown;
				}
				b.g.classList.toggle('above', faded);
				if (!shown) {
					return;
				}
				width = Math.max(width, leastWidth);
				b.rect.setAttribute('x', x.toFixed(2));
				b.rect.setAttribute('width', width.toFixed(2));
				const label = fit(b.name, Math.floor((width - 2 * textSpace) / this.cell));
				if (label && !b.text) {
					b.text = document.createElementNS(SVG, 'text');
					b.text.setAttribute('y', +b.rect.getAttribute('y') + 13);
					b.g.append(b.text);
				}
				if (b.text) {
					b.text.setAttribute('x', (x + textSpace).toFixed(2));
					b.text.textContent = label;
				}
			});
		}

		zoom(i) {
			this.zoomed = i;
			this.focusable(i);
			this.place();
		}

		// mark finds frames and returns the share of the stacks with any of them, null
		// without a pattern.
		mark(pattern) {
			this.svg.classList.toggle('searched', pattern !== null);
			let sum = 0, counted = -1;
			this.boxes.forEach((b, i) => {
				const match = pattern !== null && b.real && pattern.test(b.name);
				b.g.classList.toggle('match', match);
				if (match && i > counted) {
					sum += b.total;
					counted = b.last;
				}
			});
			return pattern === null ? null : sum;
		}

		focusable(i) {
			this.boxes[this.current].g.setAttribute('tabindex', -1);
			this.current = i;
			this.boxes[i].g.setAttribute('tabindex', 0);
		}

		// step returns the frame that an arrow leads to.
		step(key) {
			const at = this.boxes[this.current];
			const outwards = this.flipped ? 'ArrowUp' : 'ArrowDown';
			if (key === 'ArrowLeft' || key === 'ArrowRight') {
				const row = this.boxes.map((b, i) => i).filter(i => this.boxes[i].shown && this.boxes[i].depth === at.depth);
				return row[row.indexOf(this.current) + (key === 'ArrowRight' ? 1 : -1)];
			}
			if (key === outwards) {
				return at.parent >= 0 ? at.parent : undefined;
			}
			let widest;
			for (let i = this.current + 1; i <= at.last; i++) {
				const b = this.boxes[i];
				if (b.parent === this.current && b.shown && (widest === undefined || b.total > this.boxes[widest].total)) {
					widest = i;
				}
			}
			return widest;
		}
	}

	const page = document.documentElement.localName === 'html';
	const views = new Map();
	for (const svg of document.querySelectorAll('svg.pct-flame')) {
		views.set(svg.dataset.view || '', new Graph(svg));
	}
	const first = views.keys().next().value;
	const state = {view: first, zoom: 0, search: ''};
	const graph = () => views.get(state.view);

	// The tools.
	const field = element('input', {type: 'search', placeholder: 'Search: regular expression', 'aria-label': 'Search functions by a regular expression', spellcheck: 'false'});
	const matched = element('output', {'aria-live': 'polite', 'aria-label': 'matched'});
	const reset = element('button', {type: 'button', title: 'Show all again (Escape)'}, 'Reset zoom');
	const tools = element('div', {class: 'more', role: 'search'}, matched, field, reset);
	const switches = new Map();
	if (views.size > 1) {
		for (const [view, label] of [['up', 'Normal'], ['down', 'Inverted']]) {
			const button = element('button', {type: 'button'}, label);
			button.addEventListener('click', () => change({view, zoom: 0}, true));
			switches.set(view, button);
		}
		tools.prepend(...switches.values());
	}
	let holder = null, details = document.querySelector('.details'), strip = null;
	if (page) {
		document.querySelector('.tools').append(tools);
	} else {
		holder = document.createElementNS(SVG, 'foreignObject');
		holder.setAttribute('width', 440);
		holder.setAttribute('height', 32);
		holder.append(tools);
		strip = document.createElementNS(SVG, 'rect');
		strip.setAttribute('class', 'bg');
		strip.setAttribute('width', '100%');
		strip.setAttribute('height', 24);
		strip.setAttribute('visibility', 'hidden');
		details.before(strip);
		document.documentElement.append(holder);
	}

	// float keeps tools and details of an SVG document in sight.
	function float() {
		if (page) {
			return;
		}
		const g = graph();
		const bottom = Math.min(g.height, (scrollY + innerHeight) * g.scale);
		holder.setAttribute('x', g.width - 448);
		holder.setAttribute('y', 4 + scrollY * g.scale);
		details.setAttribute('y', bottom - 8);
		strip.setAttribute('y', bottom - 24);
	}

	function tell(i) {
		const g = graph();
		const line = i === undefined ? '' : g.boxes[i].title.join(' · ');
		details.textContent = page ? line : fit(line, Math.floor((g.width - 24) / 7)) || ' ';
		if (!page) {
			strip.setAttribute('visibility', line === '' ? 'hidden' : 'visible');
		}
	}

	function pattern(text) {
		if (text === '') {
			return null;
		}
		try {
			return new RegExp(text);
		} catch (wrong) {
			return undefined;
		}
	}

	// apply shows the state.
	function apply() {
		for (const [view, g] of views) {
			const button = switches.get(view), on = view === state.view;
			if (button) {
				button.setAttribute('aria-pressed', on);
			}
			if (page) {
				g.svg.parentElement.hidden = !on;
			}
		}
		const g = graph();
		if (!(state.zoom < g.boxes.length)) {
			state.zoom = 0;
		}
		if (page) {
			const width = g.svg.parentElement.clientWidth;
			if (width !== g.seen) {
				g.seen = width;
				g.resize();
			}
		}
		if (g.zoomed !== state.zoom) {
			g.zoom(state.zoom);
		}
		reset.disabled = state.zoom === 0;
		const p = pattern(state.search), share = g.mark(p === undefined ? null : p);
		field.classList.toggle('wrong', p === undefined);
		if (field.value !== state.search) {
			field.value = state.search;
		}
		matched.textContent = share === null ? '' : `Matched: ${(100 * share).toFixed(2)}%`;
		if (p === undefined) {
			matched.textContent = 'No such pattern';
		}
		float();
	}

	// change changes the state and its address; one that may be gone back to is kept.
	function change(to, keep) {
		Object.assign(state, to);
		apply();
		const words = new URLSearchParams();
		if (state.view !== first) {
			words.set('view', state.view);
		}
		if (state.zoom) {
			words.set('zoom', state.zoom);
		}
		if (state.search) {
			words.set('search', state.search);
		}
		const hash = '#' + words;
		if (hash !== (location.hash || '#')) {
			try {
				history[keep ? 'pushState' : 'replaceState'](null, '', hash);
			} catch (forbidden) { // where the document has no address of its own
			}
		}
	}

	function read() {
		const words = new URLSearchParams(location.hash.slice(1));
		const view = words.get('view');
		state.view = views.has(view) ? view : first;
		state.zoom = Math.max(0, parseInt(words.get('zoom'), 10) || 0);
		state.search = words.get('search') || '';
		apply();
	}

	function box(event) {
		const g = event.target instanceof Element && event.target.closest('.f');
		return g ? graph().index.get(g) : undefined;
	}

	function zoom(i) {
		if (i !== undefined) {
			change({zoom: i}, true);
		}
	}

	function focus(i) {
		if (i !== undefined) {
			graph().focusable(i);
			graph().boxes[i].g.focus();
		}
	}

	for (const g of views.values()) {
		g.svg.addEventListener('click', event => zoom(box(event)));
		g.svg.addEventListener('mouseover', event => tell(box(event)));
		g.svg.addEventListener('mouseleave', () => tell());
		g.svg.addEventListener('focusin', event => tell(box(event)));
	}
	reset.addEventListener('click', () => change({zoom: 0}, true));
	field.addEventListener('input', () => change({search: field.value}, false));
	addEventListener('popstate', read);
	addEventListener('hashchange', read);
	addEventListener('scroll', float);
	addEventListener('resize', () => {
		if (page) {
			apply();
		} else {
			graph().resize();
			float();
		}
	});
	addEventListener('keydown', event => {
		const inField = document.activeElement === field;
		if ((event.ctrlKey || event.metaKey) && event.key === 'f' && !inField || event.key === '/' && !inField) {
			event.preventDefault(); // the browser's own search comes with the second Ctrl-F
			field.focus();
			field.select();
		} else if (event.key === 'Escape') {
			change(inField || state.zoom === 0 ? {search: ''} : {zoom: 0}, true);
			if (inField) {
				field.blur();
			}
		} else if (!inField && /^Arrow/.test(event.key) && box({target: document.activeElement}) !== undefined) {
			event.preventDefault();
			focus(graph().step(event.key));
		} else if (!inField && (event.key === 'Enter' || event.key === ' ')) {
			const i = box({target: document.activeElement});
			if (i !== undefined) {
				event.preventDefault();
				zoom(i);
			}
		}
	});

	// The table of functions.
	const table = document.querySelector('table.functions');
	if (table) {
		const body = table.tBodies[0];
		const heads = [...table.querySelectorAll('th')];
		const value = (row, column) => {
			const cell = row.cells[column];
			return cell.dataset.v === undefined ? cell.textContent : +cell.dataset.v;
		};
		heads.forEach((head, column) => {
			const sort = () => {
				const numeric = head.classList.contains('n');
				const down = head.getAttribute('aria-sort') === (numeric ? 'descending' : 'ascending') ? !numeric : numeric;
				heads.forEach(h => h.removeAttribute('aria-sort'));
				head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
				const rows = [...body.rows].map(row => [value(row, column), row]);
				rows.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0) * (down ? -1 : 1));
				body.append(...rows.map(([, row]) => row));
			};
			head.querySelector('button').addEventListener('click', sort);
		});
		body.addEventListener('click', event => {
			const button = event.target.closest('button');
			if (button) {
				change({search: '^' + button.textContent.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&') + '$'}, true);
			}
		});
	}

	if (!page) {
		graph().resize();
	}
	read();
	for (const g of views.values()) {
		if (page) {
			const scroller = g.svg.parentElement;
			scroller.scrollTop = g.flipped ? 0 : scroller.scrollHeight;
		} else if (!g.flipped) {
			scrollTo(0, g.height); // the roots of tall flames
		}
	}
	float();
	document.documentElement.setAttribute('data-ready', '1');
})();
