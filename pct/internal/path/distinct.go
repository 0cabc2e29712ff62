package path

// distinct are texts, each once, in the order in which they came. The zero value is empty.
type distinct struct {
	all  []string
	seen map[string]bool
}

// add adds a text and reports whether it is new.
func (d *distinct) add(s string) bool {
	if d.seen[s] {
		return false
	}
	if d.seen == nil {
		d.seen = map[string]bool{}
	}
	d.seen[s] = true
	d.all = append(d.all, s)
	return true
}
