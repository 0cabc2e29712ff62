package expression

import (
	"debug/dwarf"
	"fmt"
	"strings"

	"github.com/profilecollection/pct/internal/object/debuginfo"
)

// spellType is a type as a debugger writes it, around what is declared: "char *(*)(int)" of a pointer to a function.
// It is "" if that is not known.
func spellType(e debuginfo.Entry, declared string, hops int) string {
	if hops == mostHops {
		return ""
	}
	qualifiers := ""
	for e.OK() {
		if e.Has(dwarf.AttrSignature) {
			if e.Lacks(dwarf.AttrSignature) {
				return ""
			}
			e = e.Ref(dwarf.AttrSignature)
			break
		}
		word := ""
		switch e.Tag() {
		case dwarf.TagConstType:
			word = "const"
		case dwarf.TagVolatileType:
			word = "volatile"
		case dwarf.TagRestrictType:
			word = "restrict"
		case dwarf.TagAtomicType:
			word = "_Atomic"
		}
		if word == "" {
			break
		}
		if hops++; hops == mostHops || e.Lacks(dwarf.AttrType) {
			return ""
		}
		if !strings.Contains(qualifiers, word) {
			qualifiers += word + " "
		}
		e = e.Ref(dwarf.AttrType)
	}
	qualifiers = ordered(qualifiers)
	if !e.OK() {
		return beside(qualifiers+"void", declared)
	}
	sign := ""
	switch e.Tag() {
	case dwarf.TagPointerType:
		sign = "*"
	case dwarf.TagReferenceType:
		sign = "&"
	case dwarf.TagRvalueReferenceType:
		sign = "&&"
	case dwarf.TagPtrToMemberType:
		sign = nameOfType(e.Ref(dwarf.AttrContainingType)) + "::*"
	}
	if sign != "" {
		if e.Lacks(dwarf.AttrType) {
			return ""
		}
		if qualifiers != "" {
			if sign += " " + strings.TrimSpace(qualifiers); strings.HasPrefix(declared, "*") || strings.HasPrefix(declared, "&") {
				sign += " "
			}
		}
		of := e.Ref(dwarf.AttrType)
		declared = sign + declared
		switch direct := of.Tag(); direct {
		case dwarf.TagSubroutineType, dwarf.TagArrayType:
			declared = "(" + declared + ")"
		}
		return spellType(of, declared, hops+1)
	}
	switch e.Tag() {
	case dwarf.TagSubroutineType, dwarf.TagSubprogram:
		parameters := spellParameters(e, hops)
		if parameters == "" || e.Lacks(dwarf.AttrType) {
			return ""
		}
		return spellType(e.Ref(dwarf.AttrType), declared+parameters, hops+1)
	case dwarf.TagArrayType:
		if e.Lacks(dwarf.AttrType) || e.Flag(attrGNUVector) {
			return ""
		}
		for c := range e.Children() {
			if c.Tag() != dwarf.TagSubrangeType {
				return ""
			}
			d := bounds(c)
			if d.Lower != 0 || d.Name != "" {
				return ""
			}
			if declared += "[]"; d.Count >= 0 {
				declared = strings.TrimSuffix(declared, "]") + fmt.Sprint(d.Count) + "]"
			}
		}
		return spellType(e.Ref(dwarf.AttrType), declared, hops+1)
	}
	name := nameOfType(e)
	if name == "" {
		return ""
	}
	return beside(qualifiers+name, declared)
}

// beside puts the name of a type before what is declared.
func beside(name, declared string) string {
	if declared == "" {
		return name
	}
	return name + " " + declared
}

// ordered are qualifiers in the order in which a debugger writes them, each with a blank behind it.
func ordered(qualifiers string) string {
	all := ""
	for _, word := range []string{"const", "volatile", "restrict", "_Atomic"} {
		if strings.Contains(qualifiers, word) {
			all += word + " "
		}
	}
	return all
}

// spellParameters are those of a function, or of a type of functions, in brackets; "" if they are not known.
func spellParameters(e debuginfo.Entry, hops int) string {
	var all []string
	cxx := e.Language() == debuginfo.CPlusPlus
	for c := range e.Children() {
		switch c.Tag() {
		case dwarf.TagFormalParameter:
			if c.Lacks(dwarf.AttrType) {
				return ""
			}
			t := c.Ref(dwarf.AttrType)
			text := ""
			if cxx && c.Flag(dwarf.AttrArtificial) && t.Tag() == dwarf.TagPointerType && len(all) == 0 {
				text = spellType(t.Ref(dwarf.AttrType), "* const", hops+1) // of "this"
			} else {
				text = spellType(t, "", hops+1)
			}
			if text == "" {
				return ""
			}
			all = append(all, text)
		case dwarf.TagUnspecifiedParameters:
			if len(all) > 0 {
				all = append(all, "...")
			}
		}
	}
	if len(all) == 0 && (cxx || e.Flag(dwarf.AttrPrototyped)) {
		all = []string{"void"}
	}
	return "(" + strings.Join(all, ", ") + ")"
}

// keywords stand before the names of types in C, and in place of one.
var keywords = map[dwarf.Tag]string{dwarf.TagEnumerationType: "enum ", dwarf.TagStructType: "struct ", dwarf.TagUnionType: "union "}

// nameOfType is the name of a type as a debugger writes it; "" if that is not known.
func nameOfType(e debuginfo.Entry) string {
	name, tag := e.Name(), e.Tag()
	switch {
	case e.Has(dwarf.AttrSignature):
	case name == "" && keywords[tag] != "":
		return keywords[tag] + "{...}"
	case name == "":
	case name == "unsigned __int128": // which debuggers read in their own way
	case tag == dwarf.TagBaseType:
		return debuginfo.CanonicalNumber(name)
	case tag == dwarf.TagUnspecifiedType:
		return name
	case tag == dwarf.TagTypedef || tag == dwarf.TagClassType || keywords[tag] != "":
		if e.Language() == debuginfo.CPlusPlus {
			return debuginfo.Canonical(e.Around() + name)
		}
		return keywords[tag] + name
	}
	return ""
}
