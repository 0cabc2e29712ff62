package script

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/participle/v2/lexer"

	"github.com/profilecollection/pct/dbctl/internal/machine"
)

// maxIncludes bounds the files of one script: a few that include each other
// twice would double it at every level.
const maxIncludes = 500

// include reads the statements of the file that an #include names, as if they
// stood in its place.
func (p *parser) include(at level) []*node {
	form, err := includeStatement.parse(p.lex)
	if err != nil {
		panic(err) // splitInclude makes only right ones
	}
	if !p.resolve {
		return nil
	}
	token := form.(*include).File
	src, message, hint := p.open(unquote(token.Value), token)
	if message != "" {
		p.reportToken(token, message, hint)
		return nil
	}
	return p.parse(src, at)
}

// open finds the file; message tells why it can't be included.
func (p *parser) open(name string, token lexer.Token) (src *source, message, hint string) {
	if name == "" {
		return nil, "#include wants the name of a file", ""
	}
	if len(p.sources) > maxIncludes {
		return nil, fmt.Sprintf("more than %d files are included", maxIncludes), ""
	}
	dirs := append([]string{filepath.Dir(p.src.name)}, p.options.Include...)
	if filepath.IsAbs(name) {
		dirs = []string{""}
	}
	for _, dir := range dirs {
		path := filepath.Join(dir, name)
		text, err := os.ReadFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return nil, "cannot read the file: " + err.Error(), ""
		case p.including(path):
			return nil, filepath.Base(path) + " includes itself", ""
		}
		from := append([]machine.Pos{p.pos(token.Pos)}, p.src.from...)
		return &source{name: path, text: text, from: from}, "", ""
	}
	if filepath.IsAbs(name) {
		return nil, "there is no such file", ""
	}
	return nil, "cannot find the file", "searched " + strings.Join(dirs, ", ") + "; -I DIR adds a directory"
}

// including tells whether a file is being read already.
func (p *parser) including(path string) bool {
	if filepath.Clean(p.src.name) == path {
		return true
	}
	for _, from := range p.src.from {
		if filepath.Clean(from.File) == path {
			return true
		}
	}
	return false
}
