package machine

// Expand replaces the variables of a text, as it would be replaced in an
// action now: for those who need to know what an action will ask for before
// its event comes.
func (m *Machine) Expand(text string) string {
	t := parseTemplate(text)
	return m.text(&t)
}
