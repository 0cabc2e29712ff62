package value

// A Kind is what the bytes of a value mean.
type Kind uint8

const (
	Unknown Kind = iota // what is not evaluated natively: Name says what it is
	Void
	Integer
	Character // an integer that is shown as a character, too
	Boolean
	Float
	Enumeration
	Pointer
	Reference
	Structure // struct, class and union
	Array
	Function
	Incomplete    // only declared: nothing is known of its members
	MemberPointer // to data, by their offset, or of twice the size to a function
)

// A Type is a type of the program. Typedefs, const, volatile and atomic are stripped, except that a
// type has the name that the program gave it last.
type Type struct {
	Kind   Kind
	Name   string // "" if it has none
	Size   uint64 // in bytes; 0 where it is not known
	Signed bool   // of numbers and enumerations

	Elem   *Type // of pointers, references, arrays; what a function returns
	Count  int64 // of an array's elements, -1 where it is not known
	Lower  int64 // an array's lowest index
	Named  bool  // an array whose indices are an enumeration
	Vector bool  // an array that the processor calculates with

	Union    bool
	Fields   []Field
	Enums    []Enumerator // of enumerations; of pointers to members, what they may lead to
	Flags    bool         // an enumeration whose enumerators are bits
	Bits     bool         // an enumeration that is a register of flags
	Language Language     // of the type of a whole value: in whose form it is shown
	Wide     bool         // a character of a type that holds no byte: wchar_t, char16_t, char32_t
	// View is set of a structure or reference in the type of a plan's value whose content the plan writes.
	View *View

	Complete func(*Type) // reads fields, enumerators, bounds, when they are first wanted
}

// A Field is a member of a structure, or a base class of it.
type Field struct {
	Name   string // "" of an anonymous structure
	Type   *Type
	Offset uint64 // in bytes
	Base   bool   // a base class
	// Static is set of a member that all objects share. In the type of a plan's value its place is behind the
	// bytes of the object, like that of a virtual base class; otherwise it has none.
	Static bool
	// Of a bit-field: its first bit, counted from the lowest of the structure's first byte, and how many it has; 0 for none.
	BitOffset, BitSize uint64
	// Virtual is set of a virtual base class, whose place is in the object's own table.
	Virtual bool
}

// An Enumerator is a name of a value.
type Enumerator struct {
	Name  string
	Value int64
}

// Whole returns t with its members read.
func (t *Type) Whole() *Type {
	if f := t.Complete; f != nil {
		t.Complete = nil
		f(t)
	}
	return t
}

// Plural reports whether values of the type are no single numbers: among arguments they are not shown.
func (t *Type) Plural() bool {
	switch t.Whole().Kind {
	case Structure, Array, Reference:
		return true
	}
	return false
}

// Scalar reports whether values of the type are single numbers that fit a register.
func (t *Type) Scalar() bool {
	switch t.Kind {
	case Integer, Character, Boolean, Enumeration, Pointer:
		return t.Size > 0 && t.Size <= 8
	case Float:
		return t.Size == 4 || t.Size == 8
	}
	return false
}

// Integral reports whether the type is a whole number, as operators see it.
func (t *Type) Integral() bool {
	switch t.Kind {
	case Integer, Character, Boolean, Enumeration:
		return t.Size <= 8
	}
	return false
}

// IsText reports whether a pointer of the type is shown with the text that it leads to.
func (t *Type) IsText() bool {
	return t.Kind == Pointer && t.Elem.Kind == Character && (t.Elem.Size == 1 || t.Elem.WideText())
}
