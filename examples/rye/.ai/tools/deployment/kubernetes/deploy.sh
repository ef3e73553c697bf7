# Called with the action; the parameters are in PARAM_ variables.
echo "$LOG_LEVEL: $1 with $KUBECONFIG" >&2
case $1 in
  deploy) echo '{"success": true, "deployment_id": "c0ffee-1", "status": "pending"}' ;;
  rollback) echo "{\"success\": true, \"deployment_id\": \"$PARAM_DEPLOYMENT_ID\", \"status\": \"success\"}" ;;
esac
