package pprof

import (
	"crypto/rand"
	"crypto/subtle"
	"net/http"
	"net/url"
)

// A key opens the pages. It is a part of the address that is told to the user. Other programs and users of the machine,
// and pages that a browser shows besides, don't know it.
type key struct{ text string }

const (
	keyName    = "key"     // in the address
	cookieName = "pct-key" // then, so that the links of the pages do without it
)

func newKey() key { return key{rand.Text()} }

func (k key) fits(text string) bool {
	return subtle.ConstantTimeCompare([]byte(text), []byte(k.text)) == 1
}

// admits reports whether a request is of one who knows the key, and not made by a page of another origin. The address
// with the key is answered with a cookie and the address without it; all others that are not admitted with why.
func (k key) admits(out http.ResponseWriter, in *http.Request) bool {
	if foreign(in) {
		http.Error(out, "a page of another origin made this request", http.StatusForbidden)
		return false
	}
	// Cookies are of a host, whatever the port: those of other pct web are there, too.
	for _, cookie := range in.CookiesNamed(cookieName) {
		if k.fits(cookie.Value) && !in.URL.Query().Has(keyName) {
			return true
		}
	}
	query := in.URL.Query()
	if !k.fits(query.Get(keyName)) {
		http.Error(out, "this page needs its key: use the whole URL that pct web printed", http.StatusForbidden)
		return false
	}
	if in.Method != http.MethodGet && in.Method != http.MethodHead {
		return true
	}
	query.Del(keyName)
	http.SetCookie(out, &http.Cookie{Name: cookieName, Value: k.text, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode})
	// The key does not stay in the browser's history.
	http.Redirect(out, in, (&url.URL{Path: in.URL.Path, RawQuery: query.Encode()}).String(), http.StatusSeeOther)
	return false
}

// foreign reports whether a page of another origin made a browser send a request. What the user opens himself has none.
func foreign(in *http.Request) bool {
	switch in.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return true
	}
	origin := in.Header.Get("Origin")
	if origin == "" {
		return false
	}
	from, err := url.Parse(origin)
	return err != nil || from.Host != in.Host || from.Scheme != "http"
}
