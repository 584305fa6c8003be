// A website with TLS 1.3 and the key exchange X25519MLKEM768, which nginx of Debian 12 does not support.
// Arguments: address, certificate, key.
package main

import (
	"crypto/tls"
	"io"
	"log"
	"net/http"
	"os"
)

func main() {
	server := &http.Server{
		Addr: os.Args[1],
		Handler: http.HandlerFunc(func(response http.ResponseWriter, request *http.Request) {
			response.Header().Set("Content-Type", "text/html")
			io.WriteString(response, "<!doctype html><title>bench</title><p>a small static page\n")
		}),
		TLSConfig: &tls.Config{
			SessionTicketsDisabled: true,
			CurvePreferences:       []tls.CurveID{tls.X25519MLKEM768, tls.X25519},
		},
		// HTTP/1.1 only, as nginx
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	log.Fatal(server.ListenAndServeTLS(os.Args[2], os.Args[3]))
}
