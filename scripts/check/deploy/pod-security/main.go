// Reads pods as a JSON list and prints how each violates the Pod Security Standard "restricted", using Kubernetes'
// own code. Exits with 1 if there are violations.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

func main() {
	var pods []corev1.PodTemplate
	if err := json.NewDecoder(os.Stdin).Decode(&pods); err != nil {
		panic(err)
	}
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks())
	if err != nil {
		panic(err)
	}
	restricted := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	status := 0
	for _, pod := range pods {
		template := pod.Template
		results := evaluator.EvaluatePod(restricted, &template.ObjectMeta, &template.Spec)
		if found := policy.AggregateCheckResults(results); !found.Allowed {
			fmt.Printf("%s: %s\n", pod.Name, found.ForbiddenDetail())
			status = 1
		}
	}
	os.Exit(status)
}
