// A Kubernetes API server with its own etcd, for one check of the chart: it validates everything that helm sends with
// the same code as a cluster. No controllers and no nodes run, so nothing is started. Arguments: an empty folder for
// its data, the port of etcd, and the options of kube-apiserver.
package main

import (
	"fmt"
	"net/url"
	"os"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/component-base/cli"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	folder, port, options := os.Args[1], os.Args[2], os.Args[3:]
	store := startStore(folder, port)
	command := app.NewAPIServerCommand()
	command.SetArgs(append(options, "--etcd-servers="+store))
	os.Exit(cli.Run(command))
}

// Returns its address when it is ready.
func startStore(folder string, port string) string {
	clients := url.URL{Scheme: "http", Host: "127.0.0.1:" + port}
	// A single member has no peers; the system chooses the port on which it would listen for them.
	peers := url.URL{Scheme: "http", Host: "127.0.0.1:0"}
	config := embed.NewConfig()
	config.Dir = folder
	config.LogLevel = "error"
	config.ListenClientUrls, config.AdvertiseClientUrls = []url.URL{clients}, []url.URL{clients}
	config.ListenPeerUrls, config.AdvertisePeerUrls = []url.URL{peers}, []url.URL{peers}
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	store, err := embed.StartEtcd(config)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	<-store.Server.ReadyNotify()
	return clients.String()
}
