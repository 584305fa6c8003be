// An HTTPS server over TCP and an HTTP/3 server. Arguments: address for TCP, address for UDP or "none", Alt-Svc or "none".
// With two more arguments, HTTP/3 consists of these bytes in hexadecimal: the control stream and each response.
// Files: chain.pem and key.pem, and those for UDP in the folder quic.
package main

import (
	"context"
	"crypto/tls"
	"encoding/hex"
	"io"
	"net"
	"net/http"
	"os"

	"github.com/quic-go/quic-go"
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
		config := http3.ConfigureTLSConfig(&tls.Config{Certificates: []tls.Certificate{certificate}})
		if len(os.Args) > 4 {
			go serveBytes(socket, config, bytesOf(os.Args[4]), bytesOf(os.Args[5]))
		} else {
			server := &http3.Server{Handler: handler, TLSConfig: config}
			go func() { panic(server.Serve(socket)) }()
		}
	}
	panic(http.ListenAndServeTLS(os.Args[1], "chain.pem", "key.pem", handler))
}

func serveBytes(socket net.PacketConn, config *tls.Config, control, response []byte) {
	listener, err := quic.Listen(socket, config, nil)
	if err != nil {
		panic(err)
	}
	for {
		connection, err := listener.Accept(context.Background())
		if err != nil {
			panic(err)
		}
		go func() {
			stream, err := connection.OpenUniStream()
			if err != nil {
				return
			}
			stream.Write(control)
			for {
				request, err := connection.AcceptStream(context.Background())
				if err != nil {
					return
				}
				io.Copy(io.Discard, request)
				request.Write(response)
				request.Close()
			}
		}()
	}
}

func bytesOf(text string) []byte {
	decoded, err := hex.DecodeString(text)
	if err != nil {
		panic(err)
	}
	return decoded
}
