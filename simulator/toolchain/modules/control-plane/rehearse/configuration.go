package main

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	configapi "sigs.k8s.io/kueue/apis/config/v1beta2"
	"sigs.k8s.io/kueue/pkg/config"
	"sigs.k8s.io/kueue/pkg/util/waitforpodsready"
)

// readConfiguration reads Kueue's configuration as its command does: strictly, with defaults, and checked.
func readConfiguration(raw rawObject) (*configapi.Configuration, error) {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, configapi.AddToScheme} {
		if err := add(scheme); err != nil {
			return nil, err
		}
	}
	read := &configapi.Configuration{}
	if len(raw) == 0 {
		scheme.Default(read)
	} else {
		codecs := serializer.NewCodecFactory(scheme, serializer.EnableStrict)
		if err := runtime.DecodeInto(codecs.UniversalDecoder(), raw, read); err != nil {
			return nil, fmt.Errorf("configuration: %w", err)
		}
	}
	if err := config.LoadAndValidateFeatureGates("", read.FeatureGates).ToAggregate(); err != nil {
		return nil, fmt.Errorf("configuration: %w", err)
	}
	return read, refuseConfiguration(read)
}

func hasPodsReady(configuration *configapi.Configuration) bool {
	return waitforpodsready.Enabled(configuration.WaitForPodsReady)
}

func blocksAdmission(configuration *configapi.Configuration) bool {
	wait := configuration.WaitForPodsReady
	return hasPodsReady(configuration) && wait.BlockAdmission != nil && *wait.BlockAdmission
}

// requeuingTimestamp and quotaCheck are what cmd/kueue/main.go gives the scheduler.
func requeuingTimestamp(configuration *configapi.Configuration) configapi.RequeuingTimestamp {
	wait := configuration.WaitForPodsReady
	if wait != nil && wait.RequeuingStrategy != nil && wait.RequeuingStrategy.Timestamp != nil {
		return *wait.RequeuingStrategy.Timestamp
	}
	return configapi.EvictionTimestamp
}

func quotaCheck(configuration *configapi.Configuration) configapi.QuotaCheckStrategy {
	if configuration.Resources != nil && configuration.Resources.QuotaCheckStrategy != nil {
		return *configuration.Resources.QuotaCheckStrategy
	}
	return configapi.QuotaCheckBlockUndeclared
}
