#!/bin/sh
# Hydra of MPICH, from PyPI: invented hosts on this machine, each rank bound to its cpu. Needs two cpus.
. "$(dirname "$0")/jobs.sh"
trap 'rm -rf "$work"' EXIT
python mpich mpich
launcher=$work/launcher
cat >"$launcher" <<END
#!/bin/sh
exec '$kept/mpich/bin/mpiexec.hydra' -launcher fork "\$@"
END
chmod +x "$launcher"
"$kept/mpich/bin/mpiexec.hydra" --version | sed -n 's/^ *Version: */MPICH /p'

topology='--topo=core:2 pu:1'
job hydra "$topology" -H a:2,b:2 -n 4 --map-by core "$stowplan" probe
job hydra "$topology" -H a:2,b:2,c:2 -n 6 --map-by node --bind-to core "$stowplan" probe
job hydra "$topology" -H a:2,b:2,c:2 -n 5 --map-by node --bind-to core "$stowplan" probe
job hydra "$topology" -H 'n[0-15]:2' -n 32 --map-by node --bind-to core "$stowplan" probe
job hydra "$topology" -H a:2,b:2 -n 3 --map-by core "$stowplan" probe : -n 1 "$stowplan" probe
job hydra "$topology" -H a:4,b:4 -n 8 --map-by slot:oversubscribe --bind-to none "$stowplan" probe
cat >"$work/ranks" <<END
rank 0=a slot=0
rank 1=b slot=1
rank 2=b slot=0
rank 3=a slot=1
END
job hydra "$topology" -H a:2,b:2 -n 4 --map-by "rankfile:file=$work/ranks" "$stowplan" probe
done_with hydra
