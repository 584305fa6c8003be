// An HTTPS server over TCP and an HTTP/3 server. Arguments: address for TCP, address for UDP or "none", Alt-Svc or "none".
// Files: chain.pem and key.pem, and those for UDP in the folder quic.
package main

import (
	"crypto/tls"
	"net"
	"net/http"
	"os"

	"github.com/quic-go/quic-go/http3"
)

func main() {
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if os.Args[3] != "none" {
			w.Header().Set("Alt-Svc", os.Args[3])
		}
		w.Write([]byte(r.Proto))
	})
	if os.Args[2] != "none" {
		socket, err := net.ListenPacket("udp", os.Args[2])
		if err != nil {
			panic(err)
		}
		certificate, err := tls.LoadX509KeyPair("quic/chain.pem", "quic/key.pem")
		if err != nil {
			panic(err)
		}
		config := &tls.Config{Certificates: []tls.Certificate{certificate}}
		server := &http3.Server{Handler: handler, TLSConfig: http3.ConfigureTLSConfig(config)}
		go func() { panic(server.Serve(socket)) }()
	}
	panic(http.ListenAndServeTLS(os.Args[1], "chain.pem", "key.pem", handler))
}
